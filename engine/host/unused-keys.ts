// What of nats-server's configuration is understood and changes nothing, and what cannot be left out safely.

/** Top-level keys that tune what is not here, or needs no tuning here; without them nobody gets more. */
export const unusedKeys: readonly string[] = [
  'client_advertise',
  'cluster',
  'connect_error_reports',
  'disable_sublist_cache',
  'feature_flags',
  'gateway',
  'http_base_path',
  'lame_duck_duration',
  'lame_duck_grace_period',
  'leaf',
  'leafnodes',
  'log_file',
  'log_size_limit',
  'logfile',
  'logfile_max_num',
  'logfile_size_limit',
  'logtime',
  'logtime_utc',
  'max_traced_msg_len',
  'mqtt',
  'no_fast_producer_stall',
  'pid_file',
  'pidfile',
  'prof_port',
  'reconnect_error_reports',
  'remote_syslog',
  'server_metadata',
  'syslog',
  'system',
  'system_account',
  'trace_headers',
  'trace_verbose',
  'websocket',
  'ws',
];

/** Top-level keys whose absence would open a door that the file keeps shut, with the reason given. */
export const refusedKeys: ReadonlyMap<string, string> = new Map([
  ['accounts', 'accounts are not supported: there is one account for everybody'],
  ['allow_non_tls', 'TLS is not supported'],
  ['default_permissions', 'permissions are not supported'],
  ['https', 'TLS is not supported: use http'],
  ['https_port', 'TLS is not supported: use http_port'],
  ['mappings', 'subject mappings are not supported'],
  ['operator', 'operators and JWTs are not supported'],
  ['operators', 'operators and JWTs are not supported'],
  ['resolver', 'operators and JWTs are not supported'],
  ['tls', 'TLS is not supported: put a proxy before the server'],
  ['trusted_keys', 'operators and JWTs are not supported'],
]);

/** Keys of the `jetstream` block that change nothing here. */
export const unusedJetStreamKeys: readonly string[] = [
  'extension_hint',
  'max_buffered_msgs',
  'max_buffered_size',
  'max_outstanding_catchup',
  'meta_compact',
  'meta_compact_size',
  'meta_compact_sync',
  'request_queue_limit',
  'unique_tag',
];
