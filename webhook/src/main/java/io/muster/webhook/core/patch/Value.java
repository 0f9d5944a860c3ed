package io.muster.webhook.core.patch;

import io.muster.extender.core.cluster.NodeTerm;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON value. Immutable. */
public sealed interface Value {

  Value EMPTY_OBJECT = new Fields(Map.of());
  Value EMPTY_ARRAY = new Items(List.of());

  record Text(String text) implements Value {}

  record Whole(long number) implements Value {}

  record Flag(boolean set) implements Value {}

  record Items(List<Value> items) implements Value {
    public Items {
      items = List.copyOf(items);
    }
  }

  /** An object; its members keep their order. */
  record Fields(Map<String, Value> members) implements Value {
    public Fields {
      members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /** The same object with one more member. */
    public Fields with(String name, Value value) {
      var more = new LinkedHashMap<>(members);
      more.put(name, value);
      return new Fields(more);
    }

    /** The same object with one more member that is text. */
    public Fields with(String name, String text) {
      return with(name, new Text(text));
    }
  }

  /**
   * A value that was sent and stays as it is, whatever stands in it.
   *
   * @param json as the reader of pods has it, and the writer of patches knows it
   */
  record AsSent(Object json) implements Value {}

  /** A node selector with these terms. */
  record NodeTerms(List<NodeTerm> terms) implements Value {
    public NodeTerms {
      terms = List.copyOf(terms);
    }
  }

  /** How many characters of text stand in it; what was sent with the pod does not count. */
  static long length(Value value) {
    return switch (value) {
      case Text(var text) -> text.length();
      case Items(var items) -> items.stream().mapToLong(Value::length).sum();
      case Fields(var members) -> members.values().stream().mapToLong(Value::length).sum();
      case Whole _, Flag _, AsSent _, NodeTerms _ -> 0;
    };
  }

  /** Whether the one says all that is wanted; objects may have more members. */
  static boolean includes(Value one, Value wanted) {
    if (one instanceof Fields(var members) && wanted instanceof Fields(var others)) {
      return others.entrySet().stream()
          .allMatch(entry ->
              members.containsKey(entry.getKey())
                  && includes(members.get(entry.getKey()), entry.getValue()));
    }
    return one.equals(wanted);
  }

  /** An object with one member that is text. */
  static Fields object(String name, String text) {
    return new Fields(Map.of(name, new Text(text)));
  }
}
