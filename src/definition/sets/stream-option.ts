import { isColumn, type StreamOptions } from "../../edm/stream-property.ts";
import { hasKind, isObject } from "../option-table.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** The option `media` of a set whose entities are media entities. @see docs/guides/streams.md, Media entities */
export interface MediaOption<E extends EntityTypeDeclaration> {
  /** The key of the `edm.stream()` that is the media of each entity: it has the URL of the entity with `/$value`. */
  readonly stream: keyof E["properties"] & string;
}

/** Returns the declared streams of a type by key; the startup check reports other options. */
export function declaredStreams(type: EntityTypeDeclaration): ReadonlyArray<readonly [string, StreamOptions]> {
  if (!isObject(type.properties)) return [];
  return Object.entries(type.properties).flatMap(([field, property]) => {
    if (!hasKind(property, "Property")) return [];
    const { stream } = property.declared;
    return isObject(stream) ? [[field, stream] as const] : [];
  });
}

/** Returns the keys of the references of streams, and of their bytes in columns. */
export function streamFields(type: EntityTypeDeclaration): readonly string[] {
  return declaredStreams(type).flatMap(([field, { store }]) =>
    isObject(store) && isColumn(store) ? [field, store.property] : [field],
  );
}

/** Adds the stored properties of streams to the option `set` of a set: the service writes them, and clients do not. */
export function withStreams<Options extends object>(type: EntityTypeDeclaration, options: Options): Options {
  const fields = isObject(type) ? streamFields(type) : [];
  const { set = {} }: { readonly set?: unknown } = isObject(options) ? options : {};
  if (fields.length === 0 || !isObject(set)) return options;
  return { ...options, set: { ...Object.fromEntries(fields.map((field) => [field, {}])), ...set } };
}

/** Whether a part of the option `set` is of a stream: it has no functions. */
export function isOfStream(type: EntityTypeDeclaration, field: string, functions: unknown): boolean {
  return isObject(functions) && Object.keys(functions).length === 0 && streamFields(type).includes(field);
}
