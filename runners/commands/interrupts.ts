import { exitCodes, type ExitCode } from '../exit-codes.ts';

/** What Ctrl-C and SIGTERM do to a run: the first ends it in order, the second at once. */
export interface Interrupts {
  readonly signal: AbortSignal;
  /** How the process must end when it was interrupted, or null. */
  exitCode(): ExitCode | null;
  /** Signals do again what they do by default. */
  dispose(): void;
}

/** `onFirst` is told which signal came. The second signal exits; exit handlers end what we started. */
export function watchInterrupts(onFirst: (name: string) => void): Interrupts {
  const controller = new AbortController();
  let code: ExitCode | null = null;
  const handle = (name: 'SIGINT' | 'SIGTERM', exitCode: ExitCode): void => {
    if (code !== null) process.exit(code);
    code = exitCode;
    onFirst(name);
    controller.abort();
  };
  const onInterrupt = (): void => handle('SIGINT', exitCodes.interrupted);
  const onTerminate = (): void => handle('SIGTERM', exitCodes.terminated);
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    exitCode: () => code,
    dispose: () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate),
  };
}
