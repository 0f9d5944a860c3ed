package io.muster.sandbox;

/** A tool the machine must have is not there; the message says which and what would fix it. */
public final class MissingToolException extends SandboxException {

  public MissingToolException(String message) {
    super(message);
  }
}
