import { ConfigurationError, type ConfigurationFault } from "../../errors/configuration-error.ts";
import type { DeclaredService } from "../model/declared-service.ts";
import type { DeclaredTypes } from "../model/declared-types.ts";
import { checkAuthorization, checkNavigationRules } from "./check-authorization.ts";
import { checkCors } from "./check-cors.ts";
import { checkAllowlists, checkETags, checkSearch, checkUncomparable } from "./check-entity-sets.ts";
import { checkForeignKeys, checkStoredGuids } from "./check-foreign-keys.ts";
import { checkChosenKeys, checkOpenOperations, checkReadable, checkResources, checkRowRules } from "./check-guards.ts";
import { checkLinks } from "./check-links.ts";
import {
  checkContainerNames,
  checkEnumMemberNames,
  checkIdentifiers,
  checkMemberNames,
  checkOperationNames,
  checkSchemaNames,
  checkTypeNames,
} from "./check-names.ts";
import { checkAgreement, checkConditions, checkPartners, checkTargets } from "./check-navigations.ts";
import { checkBindings, checkKeyParameters, checkOperationPaths, checkOverloads } from "./check-operations.ts";
import { checkServiceOptions } from "./check-options.ts";
import { checkReplicas } from "./check-replicas.ts";
import {
  checkRoutes,
  checkSecret,
  checkChallenge,
  checkLogger,
  checkTrace,
  checkNamespace,
  checkPrefix,
  checkPublicUrl,
  checkConnectionFiles,
  checkBatch,
} from "./check-service.ts";
import { checkEnumTypes, checkKeys, checkProperties, checkSignatures } from "./check-types.ts";

/** One startup rule: finds its faults in the declarations of a registration. */
export type StartupRule = (service: DeclaredService, types: DeclaredTypes) => Iterable<ConfigurationFault>;

/** The startup rules, in the order in which their faults are listed. */
export const STARTUP_RULES: readonly StartupRule[] = Object.freeze([
  checkServiceOptions,
  checkPrefix,
  checkNamespace,
  checkPublicUrl,
  checkConnectionFiles,
  checkChallenge,
  checkLogger,
  checkTrace,
  checkSecret,
  checkReplicas,
  checkBatch,
  checkCors,
  checkRoutes,
  checkContainerNames,
  checkTypeNames,
  checkSchemaNames,
  checkIdentifiers,
  checkProperties,
  checkKeys,
  checkEnumTypes,
  checkEnumMemberNames,
  checkMemberNames,
  checkAllowlists,
  checkETags,
  checkSearch,
  checkTargets,
  checkConditions,
  checkForeignKeys,
  checkStoredGuids,
  checkUncomparable,
  checkLinks,
  checkPartners,
  checkAgreement,
  checkOperationNames,
  checkBindings,
  checkSignatures,
  checkKeyParameters,
  checkOperationPaths,
  checkOverloads,
  checkAuthorization,
  checkResources,
  checkReadable,
  checkNavigationRules,
  checkRowRules,
  checkChosenKeys,
  checkOpenOperations,
]);

/**
 * Applies every startup rule to the declarations of a registration.
 * @param annotationFaults the faults of its annotations, which are listed last
 * @throws ConfigurationError with all faults of all rules
 */
export function checkDefinition(
  service: DeclaredService,
  types: DeclaredTypes,
  annotationFaults: readonly ConfigurationFault[],
): void {
  const faults = [...STARTUP_RULES.flatMap((rule) => [...rule(service, types)]), ...annotationFaults];
  if (faults.length > 0) throw new ConfigurationError(faults);
}
