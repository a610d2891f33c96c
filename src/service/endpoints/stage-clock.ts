import type { ODataResponse } from "../../http/odata-response.ts";

/** The stages of a request, and the time of its statements within them, in the order of the header. */
const METRICS = ["parse", "authorize", "schema", "bind", "body", "plan", "execute", "db", "write"] as const;

type Metric = (typeof METRICS)[number];

/**
 * Measures the stages of one request, for `Server-Timing`.
 * @see https://www.w3.org/TR/server-timing/; docs/reference/services.md, Time the stages
 */
export class StageClock {
  readonly #begun: number = performance.now();
  readonly #durations = new Map<Metric, number>();
  #stage: Metric = "parse";
  #entered: number = this.#begun;
  /** Until when the time of statements is counted. */
  #counted: number = this.#begun;

  /** Ends the current stage, and begins another one. */
  enter(stage: Exclude<Metric, "db">): void {
    const now = performance.now();
    this.#add(this.#stage, now - this.#entered);
    this.#stage = stage;
    this.#entered = now;
  }

  /** Counts a statement that has just ended. Statements that run at the same time count once. */
  addStatement(ms: number): void {
    const now = performance.now();
    this.#add("db", now - Math.max(now - ms, this.#counted));
    this.#counted = now;
  }

  #add(metric: Metric, ms: number): void {
    this.#durations.set(metric, (this.#durations.get(metric) ?? 0) + ms);
  }

  /** Ends the last stage, and returns the response with the time of each stage. */
  end(response: ODataResponse): ODataResponse {
    const now = performance.now();
    this.#add(this.#stage, now - this.#entered);
    const metrics = METRICS.flatMap((metric) => {
      const ms = this.#durations.get(metric);
      return ms === undefined ? [] : [metricText(metric, ms)];
    });
    const value = [...metrics, metricText("total", now - this.#begun)].join(", ");
    return { ...response, headers: { ...response.headers, "Server-Timing": value } };
  }
}

function metricText(name: string, ms: number): string {
  return `${name};dur=${ms.toFixed(3)}`;
}
