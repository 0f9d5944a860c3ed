package io.muster.webhook.port;

import java.util.Map;

/** The labels of namespaces. Answers from memory, at once; safe for concurrent use. */
@FunctionalInterface
public interface NamespaceLabels {

  /** Of a process that has not read them. */
  NamespaceLabels UNKNOWN = namespace -> Map.of();

  /** Those of this namespace; none where it is not known. */
  Map<String, String> of(String namespace);
}
