package io.muster.deploy.config;

import java.util.List;

/** The settings cannot be used; the message lists every problem with its key and the fix. */
public final class InvalidConfigException extends RuntimeException {
  public InvalidConfigException(List<String> problems) {
    super(String.join("\n", problems));
  }
}
