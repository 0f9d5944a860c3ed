package io.muster.controller.api;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.muster.controller.core.job.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gathers what cannot be honoured in one object; a kind adds what is its own. Confined to one
 * thread.
 */
public abstract class Validation {

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

  private final RuleTable rules;
  private final List<Fault> found = new ArrayList<>();

  protected Validation(RuleTable rules) {
    this.rules = rules;
  }

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

  /** What the rule says holds. */
  protected final void rule(String id, boolean holds) {
    ruleAt(rules.ofJobs(id).path(), id, holds);
  }

  /** The same of the word or name that the rule would be broken by. */
  protected final void rule(String id, boolean holds, String word) {
    check(holds, rules.ofJobs(id).path(), rules.ofJobs(id).textWith(word));
  }

  /** The word or name is as the rule says, if it is there. */
  protected final void rule(String id, String word) {
    ruleAt(rules.ofJobs(id).path(), id, isAllowed(id, word));
  }

  /** The same of one of several parts. */
  protected final void ruleAt(String field, String id, boolean holds) {
    check(holds, field, rules.ofJobs(id).text());
  }

  protected final boolean isAllowed(String id, String word) {
    return word == null || rules.ofJobs(id).allows(word);
  }

  /** Whether the object has a spec, and one that is not too large. */
  protected final boolean hasSpec(Object spec) {
    rule("spec", spec != null);
    Optional.ofNullable(spec).flatMap(SpecSize::fault).ifPresent(found::add);
    return spec != null;
  }

  /** Whether the field is there. */
  protected final boolean isThere(Object value, String field) {
    check(value != null, field, lastPart(field) + MISSING);
    return value != null;
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
