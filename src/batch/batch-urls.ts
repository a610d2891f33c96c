import type { ODataError } from "../errors/odata-error.ts";
import { REQUEST_ID_SYNTAX } from "./batch-request.ts";
import { type BatchOrigin, toTarget } from "./part-url.ts";

/** The URLs that the operations of a batch refer to by `$` and the id of an earlier operation. */
export class BatchUrls {
  readonly #origin: BatchOrigin;
  readonly #broken: (id: string) => ODataError;
  /** By id, absolute. */
  readonly #known: Map<string, string>;
  /** Those of a change set that is not complete. */
  readonly #pending = new Map<string, string>();
  readonly #failed = new Set<string>();

  /** @param broken makes the error for a reference to an operation that failed or does not exist */
  constructor(origin: BatchOrigin, broken: (id: string) => ODataError, known: ReadonlyMap<string, string> = new Map()) {
    this.#origin = origin;
    this.#broken = broken;
    this.#known = new Map(known);
  }

  /**
   * Remembers where an operation leads.
   * @param id undefined for an operation that nothing can refer to
   * @param url an absolute URL, or an absolute path
   */
  note(id: string | undefined, url: string): void {
    if (id !== undefined) this.#pending.set(id, url.startsWith("/") ? this.#origin.baseUrl + url : url);
  }

  /** Keeps the URLs of operations that succeeded. */
  keep(): void {
    for (const [id, url] of this.#pending) this.#known.set(id, url);
    this.#pending.clear();
  }

  /** Forgets the URLs of operations that are undone. */
  restart(): void {
    this.#pending.clear();
  }

  /** Remembers that an operation or a change set failed. */
  fail(id: string | undefined): void {
    if (id !== undefined) this.#failed.add(id);
  }

  hasFailed(id: string): boolean {
    return this.#failed.has(id);
  }

  /** Returns the URLs for operations that are planned, but not executed. */
  planning(): BatchUrls {
    return new BatchUrls(this.#origin, this.#broken, this.#known);
  }

  /** Returns the path and query of an operation. @throws ODataError as for `toTarget` */
  targetOf(url: string): string {
    return toTarget(url, this.#origin, (id) => this.#find(id));
  }

  /**
   * Returns the URL that a whole text such as `$1` refers to; any other text as it is.
   * @throws ODataError for a reference to an operation that failed or does not exist
   */
  resolve(text: string): string {
    const id = text.startsWith("$") ? text.slice(1) : "";
    return REQUEST_ID_SYNTAX.test(id) ? this.#find(id) : text;
  }

  #find(id: string): string {
    const url = this.#pending.get(id) ?? this.#known.get(id);
    if (url === undefined) throw this.#broken(id);
    return url;
  }
}
