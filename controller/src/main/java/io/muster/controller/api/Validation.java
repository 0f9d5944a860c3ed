package io.muster.controller.api;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.muster.controller.core.job.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Gathers what cannot be honoured in one object; a kind adds what is its own. Confined to one
 * thread.
 */
public abstract class Validation {

  /** Of an object without one. */
  public static final String SPEC = "spec is missing; say what is wanted";

  protected static final String CONTAINERS = "containers is empty; add the container that trains";

  /** After the name of the field, before the number. */
  protected static final String AT_LEAST = " must be at least ";

  /** After the name of the field, before the number. */
  protected static final String AT_MOST = " must be at most ";

  /** After the name of the field. */
  protected static final String MOST_MEMBERS =
      AT_MOST + Job.MOST_MEMBERS + ", the most members of a gang";

  /** After the name of the field. */
  protected static final String MISSING = " is missing; add it";

  /** After the name of the field. */
  private static final String UNREADABLE =
      " has another form than the API gives it; kubectl explain shows the right one";

  private final List<Fault> found = new ArrayList<>();

  /** Faults by now, in the order in which they were found. */
  protected final List<Fault> found() {
    return List.copyOf(found);
  }

  /** The object cannot be served. */
  protected final void fatal(String field, String text) {
    found.add(new Fault(field, text));
  }

  /** It cannot be served unless that holds. */
  protected final void check(boolean holds, String field, String text) {
    if (!holds) {
      fatal(field, text);
    }
  }

  /** Whether the object has a spec, and one that is not too large. */
  protected final boolean hasSpec(Object spec) {
    check(spec != null, "spec", SPEC);
    Optional.ofNullable(spec).flatMap(SpecSize::fault).ifPresent(found::add);
    return spec != null;
  }

  /** Whether the field is there. */
  protected final boolean isThere(Object value, String field) {
    check(value != null, field, lastPart(field) + MISSING);
    return value != null;
  }

  protected final void among(Set<String> words, String word, String field, String text) {
    check(word == null || words.contains(word), field, text);
  }

  protected final void atLeast(int least, Integer number, String field) {
    check(number == null || number >= least, field, lastPart(field) + AT_LEAST + least);
  }

  protected final void atMost(int most, Integer number, String field) {
    check(number == null || number <= most, field, lastPart(field) + AT_MOST + most);
  }

  /** So many pods can be one gang. */
  protected final void mayBeMembers(Integer number, String field) {
    check(number == null || number <= Job.MOST_MEMBERS, field, lastPart(field) + MOST_MEMBERS);
  }

  /** A template that is there can be read and has a container. */
  protected final void template(PodTemplateSpec template, String field) {
    if (template instanceof UnreadableTemplate unreadable) {
      unreadable(unreadable, field);
    } else if (isThere(template, field) && isThere(template.getSpec(), field + ".spec")) {
      var containers = template.getSpec().getContainers();
      check(containers != null && !containers.isEmpty(), field + ".spec.containers", CONTAINERS);
    }
  }

  /** Says which part of the field has another form. */
  protected final void unreadable(Unreadable part, String field) {
    var path = part.field().isEmpty() ? field : field + "." + part.field();
    fatal(path, lastPart(path) + UNREADABLE);
  }

  /** The name of a field by its path. */
  protected static String lastPart(String field) {
    return field.substring(field.lastIndexOf('.') + 1);
  }
}
