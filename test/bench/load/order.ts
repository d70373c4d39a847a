/** An order to the load generator. */
export interface LoadOrder {
  port: number;
  token: string;
  /** Used in turn instead of the token, like the paths. */
  tokens?: readonly string[];
  method: "GET" | "POST" | "DELETE";
  /** Requested in turn, from the beginning again after the last. */
  paths: readonly string[];
  /** Sent as JSON. */
  body?: object;
  /** Sent as a form. */
  form?: Record<string, string>;
  /** Octets to send instead, base64, in turn. */
  octets?: { type: string; bodies: readonly string[] };
  /** A connection for each request, for servers that do not keep them open. */
  reconnect?: boolean;
  /**
   * A path requested on each connection before the load begins: a server ends connections that send no request for some
   * seconds.
   */
  greeting?: string;
  /** Requests per second, whether or not earlier ones are answered: latencies are then counted from when each was due. */
  rate?: number;
  /** A request is not sent if no connection is free within this many milliseconds after it was due. */
  patienceMs?: number;
  /** A text in every response, which has to be a 200. Omitted: responses are counted by status. */
  contains?: string;
  /** The most requests to send. */
  count: number;
  /** Responses in this many seconds at the beginning are not counted. */
  warmUpSeconds?: number;
  concurrency: number;
  /** The generator gives up after this time. */
  secondsMax: number;
}

/** The generator's observations. */
export interface LoadReport {
  answers: number;
  seconds: number;
  /** Milliseconds, sorted. */
  latencies: number[];
  /**
   * Responses by status, with what a client needs but did not get: `503 without Retry-After`. Without a response: `no
   * connection` or `connection lost`.
   */
  statuses: Record<string, number>;
  /** Ids of issuances from 202 responses. */
  unfinished: string[];
  /** Requests that were not sent, because no connection was free in time. */
  unsent: number;
  /** CPU time of the generator's process from its start, in microseconds. */
  cpuUs: number;
}

/** A message from the generator's process: that counting has begun, its report, or the reason why it failed. */
export type LoadMessage = { begun: true } | { report: LoadReport } | { failure: string };
