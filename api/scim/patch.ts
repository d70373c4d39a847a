import { scimOperationsMax } from "../../domain/limits.ts";
import {
  emptyReading,
  isObject,
  propertyOf,
  removeAt,
  setAt,
  type NamedAttributes,
  type Reading,
} from "./attributes.ts";
import { pathFault, ScimError, syntaxFault } from "./scim-error.ts";

/**
 * Reads a whole PATCH (RFC 7644 section 3.5.2): if two operations set one attribute, the later one counts. Throws a
 * {@link ScimError} for malformed or too many operations, and for an unclear operation that may mean `active`; collects
 * the other faults in the reading.
 */
export function readPatch(body: unknown, named: NamedAttributes): Reading {
  const operations = isObject(body) ? propertyOf(body, "operations") : undefined;
  if (!Array.isArray(operations)) throw syntaxFault("Operations must be a list.");
  if (operations.length > scimOperationsMax)
    throw syntaxFault(`A request has at most ${scimOperationsMax} operations.`);
  const reading = emptyReading(named);
  for (const operation of operations as readonly unknown[]) readOperation(operation, reading);
  // The parts of a name are read-only, because the service keeps only the whole name.
  const name = reading.names.get("displayName");
  if (name !== undefined) reading.change.displayName = name;
  return reading;
}

function readOperation(operation: unknown, reading: Reading): void {
  if (!isObject(operation)) throw syntaxFault("An operation must be an object.");
  const op = propertyOf(operation, "op");
  const path = propertyOf(operation, "path") ?? "";
  const value = propertyOf(operation, "value");
  if (typeof path !== "string") throw pathFault(JSON.stringify(path));
  switch (typeof op === "string" ? op.toLowerCase() : undefined) {
    case "add":
    case "replace": {
      const manner = { adds: String(op).toLowerCase() === "add" };
      if (path === "" && !isObject(value))
        throw syntaxFault("The value of an operation without a path must be an object.");
      setAt(path, value, reading, manner);
      return;
    }
    case "remove":
      if (path === "") throw new ScimError("A removal needs a path.", { fault: "noTarget" });
      removeAt(path, value, reading);
      return;
    default:
      throw syntaxFault("op must be add, replace or remove.");
  }
}
