import type { OpenApiContact, OpenApiLicense, OpenApiServer } from "./document-info.ts";

/** A JSON value of a document; undefined members are not written. */
export type DocumentValue = string | number | boolean | null | undefined | readonly DocumentValue[] | DocumentObject;

/** An object of a document. */
export interface DocumentObject {
  readonly [name: string]: DocumentValue;
}

/** The methods of a path by their lower-case names. */
export type PathItem = Readonly<Record<string, DocumentObject>>;

/**
 * An OpenAPI description of services.
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
  /** The base URLs; `/`, the host of the document, if the services have no common `publicUrl`. */
  readonly servers: readonly OpenApiServer[];
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string | undefined }>;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, DocumentObject>>;
    readonly responses: Readonly<Record<string, DocumentObject>>;
    readonly securitySchemes?: Readonly<Record<string, DocumentObject>> | undefined;
  };
}
