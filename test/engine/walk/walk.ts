/** An entity, as a response shows it. */
export type Entity = Readonly<Record<string, unknown>>;

/** A request that a service refused with a message: its path, status and message. */
export type Refusal = readonly [path: string, status: number, message: string];

/** A fault of a response: its path, and the reason. */
export type Fault = readonly [path: string, reason: string];

/** The results of a walk through a service. */
export interface Findings {
  readonly requests: number;
  readonly refused: readonly Refusal[];
  readonly faults: readonly Fault[];
}

/** Sends a request to a path of the service, or to a link that it has written; asks for pages of a size. */
export type Send = (path: string, pageSize: number | undefined) => Promise<Response>;

/** The state of a walk through a service. */
export class Walk {
  readonly #send: Send;
  #requests = 0;
  readonly #refused: Refusal[] = [];
  readonly #faults: Fault[] = [];

  constructor(send: Send) {
    this.#send = send;
  }

  get findings(): Findings {
    return { requests: this.#requests, refused: this.#refused, faults: this.#faults };
  }

  fault(path: string, reason: string): void {
    this.#faults.push([path, reason]);
  }

  /** Requests a text. A refusal with a message is not a fault. @returns undefined without a 2xx */
  async text(path: string, pageSize?: number): Promise<string | undefined> {
    this.#requests += 1;
    const response = await this.#send(path, pageSize);
    const body = await response.text();
    if (response.ok) return body;
    const message = messageOf(body);
    if ([400, 404, 501].includes(response.status) && message !== undefined) {
      this.#refused.push([path, response.status, message]);
    } else {
      this.fault(path, `${String(response.status)} ${body.slice(0, 300)}`);
    }
    return undefined;
  }

  /** Requests JSON. @returns undefined without a 2xx, and for an empty body */
  async json(path: string, pageSize?: number): Promise<Entity | undefined> {
    const text = await this.text(path, pageSize);
    return text === undefined || text === "" ? undefined : (JSON.parse(text) as Entity);
  }

  /** Requests the entities of a collection. */
  async entities(path: string): Promise<readonly Entity[] | undefined> {
    const page = await this.json(path);
    return page === undefined ? undefined : valueOf(page);
  }

  /** Asks for a number of entities. */
  async count(path: string): Promise<number | undefined> {
    const text = await this.text(path);
    return text === undefined ? undefined : Number(text);
  }
}

/** Returns the entities of a page. */
export function valueOf(page: Entity): readonly Entity[] {
  return page["value"] as readonly Entity[];
}

function messageOf(body: string): string | undefined {
  if (!body.startsWith("{")) return undefined;
  const { error } = JSON.parse(body) as { readonly error?: { readonly message?: string } };
  return error?.message;
}
