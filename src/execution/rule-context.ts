import type { IncomingRequest, RuleContext, Transaction, User } from "../definition/context.ts";

/**
 * Returns what rules get of a context: they open no sets, because sets ask rules.
 * @param context of a handler
 */
export function ruleContextOf(context: RuleContext): RuleContext {
  return {
    get user(): User | null {
      return context.user;
    },
    get signal(): AbortSignal {
      return context.signal;
    },
    get request(): IncomingRequest {
      return context.request;
    },
    get service(): RuleContext["service"] {
      return context.service;
    },
    get transaction(): Transaction | undefined {
      return context.transaction;
    },
  };
}
