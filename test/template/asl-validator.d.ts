declare module 'asl-validator' {
  /** Judges a definition in Amazon States Language; writes defaults into it. */
  export default function validate(definition: object): { isValid: boolean; errorsText(): string };
}
