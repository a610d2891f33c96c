import type { Awaitable } from "../definition/handlers.ts";

/**
 * The entities that a handler answered, as something that can be run over at once: an array or another iterable as it
 * is, what comes one after another gathered.
 * @param handler the handler, for messages, such as `The getAll handler`
 * @throws TypeError for an answer that is no list of anything
 */
export function collectEntities(answer: unknown, handler: string): Awaitable<Iterable<unknown>> {
  if (isIterable(answer)) return answer;
  if (isAsyncIterable(answer)) return collectAsync(answer);
  throw new TypeError(`${handler} did not return entities: return an array or another iterable.`);
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
