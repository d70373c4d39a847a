import pg from "pg";

/** Connections that many callers share. */
export interface Readers {
  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
  end(): Promise<void>;
}

/**
 * Opens a number of connections, each at its first statement. Statements of one turn of the event loop are sent in one
 * write, without waiting for results: under load this wakes one process of Postgres for many statements. If a
 * connection breaks, its statements fail, and it is replaced for the next statement. `config` has `pipeline` set.
 */
export function openReaders(
  config: pg.ClientConfig,
  { count, onIdleError }: { count: number; onIdleError: (error: Error) => void },
): Readers {
  const readers = Array.from({ length: count }, () => openReader(config, onIdleError));
  return {
    query(asked) {
      const [idlest] = readers.toSorted((a, b) => a.waiting() - b.waiting());
      if (idlest === undefined) throw new Error("there are no readers");
      return idlest.query(asked);
    },
    async end() {
      await Promise.all(readers.map((reader) => reader.end()));
    },
  };
}

function openReader(config: pg.ClientConfig, onIdleError: (error: Error) => void) {
  let connecting: Promise<pg.Client> | undefined;
  let waiting = 0;

  function connect(): Promise<pg.Client> {
    if (connecting !== undefined) return connecting;
    const client = new pg.Client(config);
    const made = client.connect().then(() => client);
    const forget = (): void => {
      if (connecting === made) connecting = undefined;
    };
    client.on("error", (error) => {
      forget();
      onIdleError(error);
    });
    client.once("end", forget);
    made.catch(forget);
    connecting = made;
    return made;
  }

  return {
    waiting: () => waiting,
    async query<Row extends pg.QueryResultRow>(asked: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
      waiting++;
      try {
        const client = await connect();
        const { stream } = client.connection;
        if (stream.writableCorked === 0) {
          stream.cork();
          setImmediate(() => {
            stream.uncork();
          });
        }
        return await client.query<Row>(asked);
      } finally {
        waiting--;
      }
    },
    async end(): Promise<void> {
      const client = await connecting?.catch(() => undefined);
      await client?.end();
    },
  };
}
