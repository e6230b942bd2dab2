/** A part of the demo has ended or can't start, for a reason that is a sentence for the person who started it. */
export class DemoFailure extends Error {
  /** The exit status of the whole. */
  readonly exitStatus: number;

  constructor(message: string, exitStatus: number) {
    super(message);
    this.exitStatus = exitStatus;
  }
}
