/** One fault of a declaration, found at startup. */
export interface ConfigurationFault {
  /** The entity set (or type) at fault, when the fault belongs to one. */
  readonly set?: string | undefined;
  /** The route at fault, such as `/Orders({key})`. */
  readonly route?: string | undefined;
  /** The HTTP method of that route. */
  readonly method?: string | undefined;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}

/**
 * Thrown once at startup, with every fault of the declarations at once.
 * @see specification, sections Resources and Operations (startup rules)
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly ConfigurationFault[];

  /** @param options the error that made the declarations unreadable, as `cause` */
  constructor(faults: readonly ConfigurationFault[], options?: ErrorOptions) {
    super(describeFaults(faults), options);
    this.faults = Object.freeze([...faults]);
  }
}

function describeFaults(faults: readonly ConfigurationFault[]): string {
  const lines = faults.map((fault, index) => {
    const place = [fault.set, [fault.method, fault.route].filter(Boolean).join(" ")].filter(Boolean).join(", ");
    return `  ${String(index + 1)}. ${place === "" ? "" : `${place}: `}${fault.message} ${fault.fix}`;
  });
  const noun = faults.length === 1 ? "1 fault" : `${String(faults.length)} faults`;
  return `The service cannot start: ${noun} in its declarations.\n${lines.join("\n")}`;
}
