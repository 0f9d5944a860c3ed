package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.muster.controller.api.UnreadableTemplate;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;

/**
 * Pods of a job that do the same. A wire type: absent fields are null. Immutable but for the
 * template, which nobody may change.
 *
 * @param name Name of the task, unique in the job; its pods are named after it. By default its
 *     type, unless that is none. Cannot be changed.
 * @param type What the pods do: learner, collector, evaluator (at most one task of each) or none,
 *     the default, for all else. Cannot be changed.
 * @param replicas How many pods there are to be.
 * @param template The pod to be made. Its name is not followed; its restartPolicy is always Never.
 */
@WireType
public record Task(
    @Size(max = DiLimits.LONGEST_LABEL) String name,
    @Default(Task.UNTYPED) @Size(max = DiLimits.LONGEST_WORD) String type,
    @Default("1") @Min(1) @Max(Job.MOST_MEMBERS) Integer replicas,
    @Required
        @SchemaFrom(type = PodSchema.class)
        @JsonDeserialize(using = UnreadableTemplate.Reader.class)
        PodTemplateSpec template) {

  /** The type of tasks that are none of the known ones. */
  public static final String UNTYPED = "none";

  /** The type that jobs with minReplicas or maxReplicas grow and shrink by. */
  public static final String COLLECTOR = "collector";

  /** The type, {@link #UNTYPED} if none is written. */
  public String knownType() {
    return type == null ? UNTYPED : type;
  }

  /** The name, else the type; empty if the task has neither, which is a fault. */
  public String knownName() {
    if (name != null && !name.isEmpty()) {
      return name;
    }
    return knownType().equals(UNTYPED) ? "" : knownType();
  }

  /** How many pods there are to be, 1 if nothing is written. */
  public int knownReplicas() {
    return replicas == null ? 1 : replicas;
  }
}
