// The library has no types. These are the types of the functions that tests call.

declare module "@braveulysses/scim2" {
  export const Constants: Record<
    "SCIM_MEDIA_TYPE" | "SCIM_LIST_RESPONSE_URN" | "SCIM_PATCH_MESSAGE_URN" | "SCIM_ERROR_MESSAGE_URN",
    string
  >;
  export class Resource {
    static fromJSON(json: string): Resource;
    constructor(data: object);
    readonly data: Record<string, unknown>;
    id(): string;
    schemas(): string[];
    get(path: string): unknown;
    set(path: string, value: unknown): void;
    toJSON(): string;
  }
}

declare module "@braveulysses/scim2/dist/Patch.js" {
  type Operation = Readonly<Record<string, unknown>>;
  export function patchRequest(...operations: Operation[]): string;
  export function addOperation(path: string, value: unknown): Operation;
  export function removeOperation(path: string): Operation;
  export function replaceOperation(path: string, value: unknown): Operation;
}
