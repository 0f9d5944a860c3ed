package io.muster.webhook.core;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What a pod of a namespace that only observes is told: what Muster would have done with it. */
public final class Shadow {

  private static final String SAYS = "muster, in the shadow: ";

  /** The part of a pod that a step of a patch is about, such as {@code spec.containers[0].env}. */
  private static final Pattern PART =
      Pattern.compile("/(metadata/[a-zA-Z]+|spec/[a-zA-Z]+(?:/\\d+/[a-zA-Z]+)?)");

  private Shadow() {}

  /** The same as sentences alone: the pod passes as it is. */
  public static Admission of(Admission decision) {
    return switch (decision) {
      case Admission.Denied(_, var message) ->
          Admission.passed(List.of(SAYS + "this pod would be refused: " + message));
      case Admission.Allowed allowed -> {
        var said = new ArrayList<String>();
        if (!allowed.edits().isEmpty()) {
          var parts = new TreeSet<String>();
          allowed.patch().forEach(step -> parts.add(part(step.path())));
          said.add(SAYS + "would write " + String.join(", ", parts));
        }
        allowed.warnings().forEach(warning -> said.add(SAYS + warning));
        yield Admission.passed(said);
      }
    };
  }

  private static String part(String path) {
    var found = PART.matcher(path);
    if (!found.lookingAt()) {
      return path;
    }
    return found.group(1).replaceAll("/(\\d+)", "[$1]").replace('/', '.');
  }
}
