import type { OpenApiDocument } from "odatakit/openapi";

interface Media {
  readonly schema: Schema;
}

/** The tested members of a schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly [name: string]: unknown;
}

/** The tested members of an operation. */
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly parameters?: ReadonlyArray<{
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly schema?: Schema;
    readonly content?: Readonly<Record<string, Media>>;
    readonly example?: string;
  }>;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>>; readonly headers?: object }
    >
  >;
  readonly security?: readonly object[];
  readonly servers?: readonly object[];
}

/** The operation of a method and path. */
export function operationOf(document: OpenApiDocument, method: string, path: string): OperationObject {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${path} is none of ${Object.keys(document.paths).join(" ")}`);
  return operation as unknown as OperationObject;
}

/** Every operation, as `GET /path`. */
export function operationsOf(document: OpenApiDocument): readonly string[] {
  return Object.entries(document.paths)
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    .toSorted();
}

/** The names of the parameters of one kind. */
export function parametersOf(operation: OperationObject, kind: "query" | "path" | "header"): readonly string[] {
  return (operation.parameters ?? []).filter((each) => each.in === kind).map(({ name }) => name);
}

/** The schema of a name. */
export function schemaOf(document: OpenApiDocument, name: string): Schema {
  const schema = document.components.schemas[name];
  if (schema === undefined) throw new Error(`${name} is none of ${Object.keys(document.components.schemas).join(" ")}`);
  return schema;
}

/** The schema of an answer, or of the body. */
export function contentOf(operation: OperationObject, status: string | "body"): Schema | undefined {
  const holder = status === "body" ? operation.requestBody : operation.responses[status];
  return holder?.content?.["application/json"]?.schema;
}
