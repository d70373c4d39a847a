import { scimPageItemsMax } from "../../domain/limits.ts";
import { ScimError } from "./scim-error.ts";
import { userSchema } from "./resource.ts";

const schemaOf = (name: string): string => `urn:ietf:params:scim:schemas:core:2.0:${name}`;

/** The supported features (RFC 7643 section 5), with every required property: clients refuse a document that lacks one. */
export const serviceProviderConfig = (base: string) => ({
  schemas: [schemaOf("ServiceProviderConfig")],
  documentationUri: "https://www.rfc-editor.org/rfc/rfc7644",
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: scimPageItemsMax },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "A token that an administrator makes for the directory.",
      specUri: "https://www.rfc-editor.org/rfc/rfc6750",
      primary: true,
    },
    {
      type: "oauth2",
      name: "OAuth 2.0 client credentials",
      description: "The client id and secret of an application with the scope scim.",
      specUri: "https://www.rfc-editor.org/rfc/rfc6749",
      primary: false,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

const userType = (base: string) => ({
  schemas: [schemaOf("ResourceType")],
  id: "User",
  name: "User",
  endpoint: "/Users",
  description: "A person",
  schema: userSchema,
  schemaExtensions: [],
  meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/User` },
});

interface AttributeOptions {
  type?: "string" | "boolean" | "complex";
  required?: boolean;
  caseExact?: boolean;
  multiValued?: boolean;
  mutability?: "readWrite" | "readOnly";
  uniqueness?: "none" | "server";
  subAttributes?: readonly object[];
}

/** An attribute of a schema (RFC 7643 section 7), with every characteristic. */
const attribute = (
  name: string,
  description: string,
  { type = "string", subAttributes, ...options }: AttributeOptions = {},
) => ({
  name,
  type,
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...options,
  ...(subAttributes !== undefined && { subAttributes }),
});

/**
 * The schema of the attributes that the service keeps in every realm. It also keeps those that the realm names, and
 * accepts and drops all others.
 */
const userSchemaOf = (base: string) => ({
  schemas: [schemaOf("Schema")],
  id: userSchema,
  name: "User",
  description: "A person",
  attributes: [
    attribute("userName", "The name in the directory", { required: true, uniqueness: "server" }),
    attribute("externalId", "The id in the directory", { caseExact: true, uniqueness: "server" }),
    attribute("name", "The person's name", {
      type: "complex",
      mutability: "readOnly",
      subAttributes: [attribute("formatted", "The displayName", { mutability: "readOnly" })],
    }),
    attribute("displayName", "The person's name as it is shown"),
    attribute("active", "Whether the person has access", { type: "boolean" }),
    attribute("emails", "One address is kept: the primary one, else that of type work, else the first", {
      type: "complex",
      multiValued: true,
      subAttributes: [
        attribute("value", "The address"),
        attribute("type", "A label"),
        attribute("primary", "Whether it is the main one", { type: "boolean" }),
      ],
    }),
  ],
  meta: { resourceType: "Schema", location: `${base}/Schemas/${userSchema}` },
});

const listOf = (resources: readonly object[]) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
  totalResults: resources.length,
  startIndex: 1,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** A SCIM list response without resources. */
export const emptyList = listOf([]);

export const resourceTypes = (base: string) => listOf([userType(base)]);
export const resourceType = userType;
export const schemas = (base: string) => listOf([userSchemaOf(base)]);

/** Returns the user schema if this is its URN, in which the colons may be encoded. Throws a 404 otherwise. */
export function schema(base: string, urn: string) {
  if (urn.toLowerCase().replaceAll("%3a", ":") !== userSchema.toLowerCase()) {
    throw new ScimError("There is no such schema.", { status: 404 });
  }
  return userSchemaOf(base);
}
