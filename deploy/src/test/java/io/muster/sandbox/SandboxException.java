package io.muster.sandbox;

/** The sandbox could not do what was asked; the message is one sentence for whoever asked. */
public sealed class SandboxException extends RuntimeException permits MissingToolException {

  public SandboxException(String message) {
    super(message);
  }

  public SandboxException(String message, Throwable cause) {
    super(message, cause);
  }
}
