/**
 * The terms and types of the vocabulary PersonalData, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const PERSONAL_DATA: string = `
EntitySemantics=.
DataSubjectRole=.
DataSubjectRoleDescription=.
FieldSemantics=.
IsPotentiallyPersonal=.Boolean
IsPotentiallySensitive=.Boolean
`;
