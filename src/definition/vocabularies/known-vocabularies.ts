import { keptPer } from "../../base/memo.ts";
import { AGGREGATION } from "./aggregation.ts";
import { ANALYTICS } from "./analytics.ts";
import { AUTHORIZATION } from "./authorization.ts";
import { CAPABILITIES } from "./capabilities.ts";
import { CODE_LIST } from "./code-list.ts";
import { COMMON } from "./common.ts";
import { COMMUNICATION } from "./communication.ts";
import { CORE } from "./core.ts";
import { HIERARCHY } from "./hierarchy.ts";
import { MEASURES } from "./measures.ts";
import { PERSONAL_DATA } from "./personal-data.ts";
import { UI } from "./ui.ts";
import { VALIDATION } from "./validation.ts";
import { parseVocabulary, type Vocabulary } from "./vocabulary.ts";

/** A published vocabulary. */
export interface KnownVocabulary {
  readonly namespace: string;
  readonly uri: string;
  /** Its terms and types; null for a vocabulary of the application, whose values are not checked by type. */
  readonly notation: string | null;
  /** Whether it has more terms and types than the notation: the application declares another version of it. */
  readonly isOpen: boolean;
  /** What precedes its names in `$metadata`: its alias, or its namespace where the alias is taken. */
  readonly prefix: string;
}

/** The published vocabularies by alias. */
export const KNOWN_VOCABULARIES: Readonly<Record<string, KnownVocabulary>> = Object.freeze({
  Core: oasis("Core", CORE),
  Capabilities: oasis("Capabilities", CAPABILITIES),
  Aggregation: oasis("Aggregation", AGGREGATION),
  Validation: oasis("Validation", VALIDATION),
  Measures: oasis("Measures", MEASURES),
  Authorization: oasis("Authorization", AUTHORIZATION),
  Common: sap("Common", COMMON),
  UI: sap("UI", UI),
  Analytics: sap("Analytics", ANALYTICS),
  Communication: sap("Communication", COMMUNICATION),
  CodeList: sap("CodeList", CODE_LIST),
  PersonalData: sap("PersonalData", PERSONAL_DATA),
  Hierarchy: sap("Hierarchy", HIERARCHY),
});

/** Returns the terms and types of a vocabulary; null if they are unknown. They are parsed on first use. */
export const vocabularyOf: (known: KnownVocabulary) => Vocabulary | null = keptPer(({ notation }: KnownVocabulary) =>
  notation === null ? null : parseVocabulary(notation),
);

function oasis(name: string, notation: string): KnownVocabulary {
  const namespace = `Org.OData.${name}.V1`;
  const uri = `https://oasis-tcs.github.io/odata-vocabularies/vocabularies/${namespace}.xml`;
  return { namespace, uri, notation, isOpen: false, prefix: name };
}

function sap(name: string, notation: string): KnownVocabulary {
  const uri = `https://sap.github.io/odata-vocabularies/vocabularies/${name}.xml`;
  return { namespace: `com.sap.vocabularies.${name}.v1`, uri, notation, isOpen: false, prefix: name };
}
