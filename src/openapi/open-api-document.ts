import type { OpenApiContact, OpenApiLicense, OpenApiServer } from "./document-info.ts";

/** A value of a document: JSON, of which members that are undefined are left out when it is written. */
export type DocumentValue = string | number | boolean | null | undefined | readonly DocumentValue[] | DocumentObject;

/** An object of a document. */
export interface DocumentObject {
  readonly [name: string]: DocumentValue;
}

/** The methods of a path, by their names in lower case. */
export type PathItem = Readonly<Record<string, DocumentObject>>;

/**
 * A description of services that tools read.
 * @see OpenAPI Specification 3.1
 */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact?: OpenApiContact | undefined;
    readonly license?: OpenApiLicense | undefined;
  };
  /** `/`, the host that the document comes from, where the services do not know their address or have several. */
  readonly servers: readonly OpenApiServer[];
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string | undefined }>;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, DocumentObject>>;
    readonly responses: Readonly<Record<string, DocumentObject>>;
    readonly securitySchemes?: Readonly<Record<string, DocumentObject>> | undefined;
  };
}
