/** Audit entries and requests are never nested this deeply. */
const depthMax = 500;

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Returns the canonical form of a JSON text: no white space, the names of each object in the order of their UTF-16
 * units, strings as JSON.stringify writes them (both as in RFC 8785); numbers as they are written, so no digit is
 * rounded away. Throws SyntaxError if the text is not JSON, or is nested too deep.
 */
export function canonicalJson(text: string): string {
  JSON.parse(text);
  const tokens = text.match(jsonToken) ?? [];
  let at = 0;

  const value = (depth: number): string => {
    if (depth >= depthMax) throw new SyntaxError("JSON is nested too deep");
    const token = tokens[at++] ?? "";
    if (token === "{") return object(depth);
    if (token === "[") return `[${items("]", () => value(depth + 1)).join(",")}]`;
    return token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
  };
  const object = (depth: number): string => {
    const members = items("}", (): [name: string, member: string] => {
      const name = JSON.parse(tokens[at++] ?? "") as string;
      at++; // skips the colon
      return [name, `${JSON.stringify(name)}:${value(depth + 1)}`];
    });
    return `{${members
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, member]) => member)
      .join(",")}}`;
  };
  const items = <Item>(end: string, read: () => Item): Item[] => {
    const found: Item[] = [];
    while (tokens[at] !== end) {
      found.push(read());
      if (tokens[at] === ",") at++;
    }
    at++;
    return found;
  };

  return value(0);
}
