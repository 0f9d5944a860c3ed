package io.muster.webhook.core;

import io.muster.extender.core.cluster.NodeTerm;
import java.util.List;
import java.util.Map;

/** One step of a JSON patch (RFC 6902). Immutable. */
public sealed interface PatchOp {

  /** JSON pointer to what is added, replaced or removed. */
  String path();

  /** Sets a member of an object, whether it exists or not, or inserts into an array. */
  record Add(String path, Value value) implements PatchOp {}

  /** Removes what is there. */
  record Remove(String path) implements PatchOp {}

  /** What an {@link Add} writes. */
  sealed interface Value {

    record Text(String text) implements Value {}

    /** An object of strings, possibly empty. */
    record Members(Map<String, String> members) implements Value {
      public Members {
        members = Map.copyOf(members);
      }
    }

    record EmptyArray() implements Value {}

    /** A node selector with these terms. */
    record NodeTerms(List<NodeTerm> terms) implements Value {
      public NodeTerms {
        terms = List.copyOf(terms);
      }
    }
  }
}
