/** An order to the load generator. */
export interface LoadOrder {
  port: number;
  token: string;
  /** Tokens to use in turn, like the paths, instead of `token`. */
  tokens?: readonly string[];
  method: "GET" | "POST" | "DELETE";
  /** The paths to request in turn, starting over after the last. */
  paths: readonly string[];
  /** Sent as JSON. */
  body?: object;
  /** Sent as a form. */
  form?: Record<string, string>;
  /** Bodies to send instead, in turn, as octets in base64. */
  octets?: { type: string; bodies: readonly string[] };
  /** A connection for each request, for servers that do not keep them open. */
  reconnect?: boolean;
  /**
   * A path requested on each connection before the load begins: a server ends connections that send no request for some
   * seconds.
   */
  greeting?: string;
  /**
   * Requests per second, sent on schedule even if earlier requests are unanswered: latencies count from when each
   * request was due.
   */
  rate?: number;
  /** The generator drops a request if no connection is free within this many milliseconds after the request was due. */
  patienceMs?: number;
  /** A text that every response must contain, with status 200. If omitted, responses are counted by status. */
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
  /** Requests that the generator dropped, because no connection was free in time. */
  unsent: number;
  /** CPU time of the generator's process from its start, in microseconds. */
  cpuUs: number;
}

/** A message from the generator's process: that counting has begun, its report, or the reason why it failed. */
export type LoadMessage = { begun: true } | { report: LoadReport } | { failure: string };
