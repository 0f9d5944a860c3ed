package io.muster.extender.yaml;

import java.io.Serial;

/** A text that is no YAML as it is read here; the message begins with the line. */
public final class MalformedYamlException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  MalformedYamlException(String message) {
    super(message);
  }
}
