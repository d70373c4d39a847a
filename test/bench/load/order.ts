/** What the load generator is asked to do. */
export interface LoadOrder {
  port: number;
  token: string;
  /** Instead of the token: one after the other, as the paths. */
  tokens?: readonly string[];
  method: "GET" | "POST" | "DELETE";
  /** Called one after the other, from the start again after the last. */
  paths: readonly string[];
  /** Sent as JSON. */
  body?: object;
  /** Sent as a form. */
  form?: Record<string, string>;
  /** Octets to send instead, base64, one after the other. */
  octets?: { type: string; bodies: readonly string[] };
  /** A connection for each request, for servers that keep none. */
  reconnect?: boolean;
  /** Asked for on each connection before the load begins: a server ends connections that bring no request for some seconds. */
  greeting?: string;
  /** Requests per second, whether or not earlier ones are answered: latencies are then counted from when each was due. */
  rate?: number;
  /** A request for which no connection was free within so many milliseconds from when it was due is not sent. */
  patienceMs?: number;
  /** What every answer, which is a 200, must contain. Left out: whatever is answered is counted by its status. */
  contains?: string;
  /** Requests in all, at most. */
  count: number;
  /** What is answered in the first so many seconds is not counted. */
  warmUpSeconds?: number;
  concurrency: number;
  /** It gives up after that long. */
  secondsMax: number;
}

/** What it saw. */
export interface LoadReport {
  answers: number;
  seconds: number;
  /** Milliseconds, sorted. */
  latencies: number[];
  /** Answers by status, with what a client needs and did not get: `503 without Retry-After`. Without an answer: `no connection` or `connection lost`. */
  statuses: Record<string, number>;
  /** Ids of the issuances that a 202 answered. */
  unfinished: string[];
  /** Requests that no connection was free for in time. */
  unsent: number;
  /** CPU time of the generator's process from its start, in microseconds. */
  cpuUs: number;
}

/** What comes back from the generator's process: that it counts from now on, and how it ended. */
export type LoadMessage = { begun: true } | { report: LoadReport } | { failure: string };
