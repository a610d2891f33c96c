/**
 * The terms and types of the vocabulary Validation, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const VALIDATION: string = `
Pattern=.
Minimum=.PrimitiveType
Maximum=.PrimitiveType
Exclusive=.Boolean
AllowedValues=[AllowedValue]
AllowedValue(){Value=.PrimitiveType}
MultipleOf=.Decimal
Constraint=ConstraintType
ConstraintType(){FailureMessage Condition=.Boolean}
ItemsOf=[ItemsOfType]
ItemsOfType(){path=.NavigationPropertyPath target=.NavigationPropertyPath}
OpenPropertyTypeConstraint=[.]
DerivedTypeConstraint=[.]
AllowedTerms=[.]
ApplicableTerms=[.]
MaxItems=.Int64
MinItems=.Int64
`;
