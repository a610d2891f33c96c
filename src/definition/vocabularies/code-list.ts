/**
 * The terms and types of the vocabulary CodeList, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const CODE_LIST: string = `
CurrencyCodes=CodeListSource
UnitsOfMeasure=CodeListSource
CodeListSource(){Url CollectionPath}
StandardCode=.PropertyPath
ExternalCode=.PropertyPath
IsConfigurationDeprecationCode=.Boolean
`;
