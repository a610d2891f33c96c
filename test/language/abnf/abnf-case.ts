import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** One case of the OASIS suite. */
export interface AbnfCase {
  readonly id: string;
  readonly kind: "url" | "urlLiteral" | "bodyLiteral" | "queryOption" | "expression" | "contextUrl" | "header";
  /** The ABNF rule for the input. */
  readonly rule: string;
  readonly name: string;
  readonly input: string;
  readonly valid: boolean;
  /** Valid in 4.01, not in 4.0. */
  readonly v401only: boolean;
}

/** The names of the suite's model by ABNF rule. */
export type AbnfModel = Readonly<Record<string, readonly string[]>>;

/** The suite, which is not part of the checkout; null without it. */
export interface AbnfSuite {
  readonly cases: readonly AbnfCase[];
  readonly model: AbnfModel;
}

const projectRoot = path.resolve(import.meta.dirname, "../../..");

/** The folder of the suite. */
export const SUITE_FOLDER: string = path.resolve(projectRoot, "../shared/spec");

/** Reads the suite; null if its folder does not exist. */
export function readSuite(): AbnfSuite | null {
  const casesFile = path.join(SUITE_FOLDER, "abnf-cases.json");
  const modelFile = path.join(SUITE_FOLDER, "abnf-model.json");
  if (!existsSync(casesFile) || !existsSync(modelFile)) return null;
  return {
    cases: JSON.parse(readFileSync(casesFile, "utf8")) as readonly AbnfCase[],
    model: JSON.parse(readFileSync(modelFile, "utf8")) as AbnfModel,
  };
}
