/** A server address without what must be kept, and that apart: user and password, or a token. */
export interface Credentials {
  /** `nats://host:port` */
  readonly server: string;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/** Takes `nats://[user:password@|token@]host:port` apart; percent-encoded parts are decoded. */
export function splitCredentials(url: string): Credentials {
  const match = /^(nats:\/\/)(?:([^/]*)@)?([^@]*)$/.exec(url);
  const server = `${match?.[1] ?? ''}${match?.[3] ?? url}`;
  const userinfo = match?.[2];
  if (userinfo === undefined) return { server };
  const colon = userinfo.indexOf(':');
  if (colon < 0) return { server, token: decodeURIComponent(userinfo) };
  const user = decodeURIComponent(userinfo.slice(0, colon));
  return { server, user, pass: decodeURIComponent(userinfo.slice(colon + 1)) };
}

/** A target or argument as it may be recorded: records and reports are passed on, passwords are not. */
export function withoutPassword(text: string): string {
  return text
    .replaceAll(/(nats:\/\/[^/@:\s]*):[^/@\s]*@/g, '$1:***@')
    .replaceAll(/nats:\/\/(?!\*\*\*@)[^/:@\s]*@/g, 'nats://***@');
}
