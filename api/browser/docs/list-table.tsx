import type { Endpoint } from "../../contract/endpoint.ts";

/** Lists every list's search, sort keys, filters and includes, taken from the endpoints' definitions. */
export function ListTable({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const lists = endpoints.flatMap((endpoint) =>
    endpoint.list === undefined ? [] : [{ endpoint, list: endpoint.list }],
  );
  return (
    <>
      <h2 id="keys">Every list and its keys</h2>
      {lists.map(({ endpoint, list }) => (
        <>
          <h3 id={endpoint.operation}>{endpoint.summary}</h3>
          <p>
            <code>
              {endpoint.methods.map((method) => method.toUpperCase()).join(", ")}{" "}
              {endpoint.path.replace(/:(\w+)/g, "{$1}")}
            </code>
          </p>
          <ul>
            <li>search: {list.search === undefined ? "none" : `inside ${list.search}`}</li>
            <li>
              sort: <Keys keys={list.sort} />
            </li>
            <li>
              filter: <Keys keys={Object.keys(list.filter)} />
            </li>
            <li>
              include: <Keys keys={Object.keys(list.includes ?? {})} />
            </li>
          </ul>
        </>
      ))}
    </>
  );
}

function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <>
      {keys.length === 0 ? "none" : ""}
      {keys.map((key) => (
        <>
          <code>{key}</code>{" "}
        </>
      ))}
    </>
  );
}
