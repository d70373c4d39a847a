/** A result with a status or headers other than the default. */
export class Reply<Data> {
  readonly data: Data;
  readonly status: 200 | 202;
  readonly headers: Readonly<Record<string, string>>;
  constructor(data: Data, status: 200 | 202, headers: Readonly<Record<string, string>>) {
    this.data = data;
    this.status = status;
    this.headers = headers;
  }
}

/** Returns data with additional headers. */
export const answered = <Data>(data: Data, headers: Readonly<Record<string, string>>): Reply<Data> =>
  new Reply(data, 200, headers);

/** Returns a 202: the work continues, and `location` is where to poll. */
export const accepted = <Data>(
  data: Data,
  {
    location,
    retryAfterSeconds,
    headers = {},
  }: { location: string; retryAfterSeconds: number; headers?: Readonly<Record<string, string>> },
): Reply<Data> => new Reply(data, 202, { ...headers, Location: location, "Retry-After": String(retryAfterSeconds) });
