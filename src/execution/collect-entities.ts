import { isPromiseLike } from "../base/maybe.ts";
import type { Awaitable } from "../definition/sets/handlers.ts";

/**
 * Returns the entities that a handler returned as an iterable: an array or another iterable unchanged, the entities of
 * an async iterable collected.
 * @param handler the handler, for messages, such as `The getAll handler`
 * @throws TypeError for a value that is not a list, and for an array that contains a promise
 */
export function collectEntities(answer: unknown, handler: string): Awaitable<Iterable<unknown>> {
  if (Array.isArray(answer)) return withoutPromises(answer, handler);
  if (isIterable(answer)) return answer;
  if (isAsyncIterable(answer)) return collectAsync(answer);
  throw new TypeError(`${handler} did not return entities: return an array or another iterable.`);
}

/**
 * Returns an array unchanged, unless one of its items is a promise, whose members would be taken for those of an entity.
 * @throws TypeError that names the first promise
 */
export function withoutPromises(items: readonly unknown[], handler: string): readonly unknown[] {
  const index = items.findIndex(isPromiseLike);
  if (index === -1) return items;
  const place = `item ${String(index)} is a promise`;
  throw new TypeError(`${handler} did not return entities: ${place}: await it, as \`await Promise.all(items)\` does.`);
}

/** Tells a list of values. Text can be iterated too, but holds no entities. */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function collectAsync(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const entities: unknown[] = [];
  for await (const entity of stream) entities.push(entity);
  return entities;
}
