/** The body of a response. Strings are sent as UTF-8, iterables chunk by chunk with pauses for other requests. */
export type ResponseBody =
  | string
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>
  | null;

/** A response as an adapter sends it. */
export interface ODataResponse {
  readonly status: number;
  /** By names in their documented spelling. Always includes OData-Version. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
  /** Whether the body is bytes that somebody stored, with a type that somebody stated: they may be something else. */
  readonly isStored?: true | undefined;
  /** Makes the response again, after later operations of its change set; absent: they cannot change it. */
  readonly again?: (() => PromiseLike<ODataResponse> | ODataResponse) | undefined;
}

const encoder = new TextEncoder();

/** Returns the Content-Length of a complete body. */
export function bodyLength(body: string | Uint8Array): string {
  return String(typeof body === "string" ? encoder.encode(body).byteLength : body.byteLength);
}

/** Ends the chunks of a body that will not be read: they may hold entities, or the operations of a batch. */
export function abandon(body: ResponseBody): void {
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return;
  const iterator = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  void iterator.return?.();
}

/** Calls a function once the body of a response has been read to its end, or is abandoned. @returns the response to send */
export function whenSent(response: ODataResponse, done: () => void): ODataResponse {
  const { body } = response;
  if (body === null || typeof body === "string" || body instanceof Uint8Array) {
    done();
    return response;
  }
  let isOpen = true;
  const end = (): void => {
    if (isOpen) done();
    isOpen = false;
  };
  return { ...response, body: endingBody(body, end) };
}

function endingBody(
  body: Exclude<ResponseBody, string | Uint8Array | null>,
  end: () => void,
): AsyncIterable<string | Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const chunks = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
      return {
        next: async () => {
          try {
            const result = await chunks.next();
            if (result.done === true) end();
            return result;
          } catch (error) {
            end();
            throw error;
          }
        },
        return: async () => {
          end();
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
