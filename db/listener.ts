import { randomUUID } from "node:crypto";
import pg from "pg";
import { connectSecondsOf } from "../runtime/config/server-url.ts";
import type { DatabaseOptions } from "./client.ts";

export interface Listener {
  /** Resolves when the first connection listens. Later connections are made in the background. */
  ready: Promise<void>;
  /** Whether a connection listens. A connection that receives nothing counts until this is noticed. */
  connected(): boolean;
  close(): Promise<void>;
}

export interface ListenerOptions extends Pick<DatabaseOptions, "url" | "role" | "applicationName"> {
  /** Each channel with the handler of its notifications. */
  channels: Readonly<Record<string, (payload: string) => void>>;
  /** Called after each (re)connection: notifications in between were missed, so read the rows again. */
  onConnected: () => void;
  onError: (error: Error) => void;
  /** Called when the connection did not receive its own notification; the connection is then replaced. */
  onDeaf: () => void;
  /** Set by tests only. */
  hearing?: { everyMs: number; withinMs: number };
}

const reconnectDelayMs = 250;

/** How often the connection notifies itself, and how soon it must receive its own notification. */
const hearingDefault = { everyMs: 30_000, withinMs: 5_000 };

/** Keeps one connection that LISTENs, and replaces it whenever it is lost. */
export function listen(options: ListenerOptions): Listener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const { everyMs, withinMs } = options.hearing ?? hearingDefault;
  const ownChannel = `listener_${randomUUID()}`;
  let connected = false;
  let markReady: () => void;
  const ready = new Promise<void>((resolve) => (markReady = resolve));

  const again = (): void => {
    connected = false;
    client = undefined;
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void connect(), reconnectDelayMs);
  };

  /**
   * Sends a notification to this connection after a while, and drops the connection if it does not receive the
   * notification, because a connection can be open but receive nothing: behind a pooler, or after a device on the way
   * has dropped it.
   */
  const askItself = (asked: pg.Client): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = setTimeout(() => {
        options.onDeaf();
        asked.connection.stream.destroy();
      }, withinMs);
      // If this query fails, the notification is not received either.
      asked.query("select pg_notify($1, '')", [ownChannel]).catch(() => undefined);
    }, everyMs);
  };

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: (connectSecondsOf(options.url) ?? 5) * 1_000,
      ...(options.role === undefined ? {} : { options: `-c role=${options.role}` }),
    });
    client = next;
    next.on("notification", ({ channel, payload }) => {
      if (channel === ownChannel) askItself(next);
      else options.channels[channel]?.(payload ?? "");
    });
    next.on("error", (error) => {
      options.onError(error);
    });
    next.on("end", () => {
      if (client === next) again();
    });
    try {
      await next.connect();
      for (const channel of [ownChannel, ...Object.keys(options.channels)]) {
        await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      }
      connected = true;
      askItself(next);
      markReady();
      options.onConnected();
    } catch (error) {
      options.onError(error as Error);
      await next.end().catch(() => undefined);
      if (client === next) again();
    }
  };
  void connect();

  return {
    ready,
    connected: () => connected,
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
