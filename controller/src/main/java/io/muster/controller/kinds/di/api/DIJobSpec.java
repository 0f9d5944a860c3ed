package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Nullable;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.muster.controller.api.UnreadableTemplate;
import io.muster.controller.api.UnreadableVolume;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a DIJob is to be, in all shapes that there are. A wire type: absent fields are null.
 * Immutable but for the templates and volumes, which nobody may change.
 *
 * @param tasks Pods of the job by what they do, in the order of their ranks. For v2alpha1; instead
 *     of template.
 * @param template The pod of which minReplicas copies are started. For v2alpha1; instead of tasks.
 * @param coordinator The pod that asks for collectors and learners and decides how the job ends.
 *     For v1alpha1; instead of tasks.
 * @param collector What the coordinator gets when it asks for a collector.
 * @param learner What the coordinator gets when it asks for a learner.
 * @param cleanPodPolicy What is deleted once the job has ended: Running (the default) deletes pods
 *     that still run or wait, All deletes every pod, None deletes nothing.
 * @param volumes Volumes of every pod of the job. One of the same name in a template wins.
 * @param backoffLimit How often failed pods are recreated before the job fails: 3 by default, null
 *     for without end (plain kubectl apply leaves null out; create and apply --server-side do not).
 *     Jobs with a coordinator end with it.
 * @param priority Where the job stands in the waiting line: normal (the default) or high. Cannot be
 *     changed.
 * @param preemptible Whether the job may be made smaller or taken back for others. false by
 *     default.
 * @param minReplicas Fewest pods that the job starts with. By default all of them; with template,
 *     1.
 * @param maxReplicas Most pods that the job may have. By default all of them.
 * @param engineFields How the pods made from template find each other.
 * @param priorityClassName PriorityClass of the pods of a job with a coordinator. Empty leaves what
 *     the templates say; default does too where there is no such class.
 * @param group Kept for its writers. Not followed.
 * @param projectPath Kept for its writers. Not followed.
 */
@WireType
public record DIJobSpec(
    @Size(min = 1, max = DiLimits.MOST_TASKS) List<Task> tasks,
    @SchemaFrom(type = PodSchema.class) @JsonDeserialize(using = UnreadableTemplate.Reader.class)
        PodTemplateSpec template,
    RoleTemplate coordinator,
    RoleTemplate collector,
    RoleTemplate learner,
    @Default("Running") String cleanPodPolicy,
    @SchemaFrom(type = PodSchema.Volumes.class)
        @Size(max = DiLimits.MOST_VOLUMES)
        @JsonDeserialize(contentUsing = UnreadableVolume.Reader.class)
        List<Volume> volumes,
    @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable @Default("3") @Min(0) Integer backoffLimit,
    @Size(max = DiLimits.LONGEST_WORD) String priority,
    Boolean preemptible,
    @Min(0) @Max(Job.MOST_MEMBERS) Integer minReplicas,
    @Min(1) @Max(Job.MOST_MEMBERS) Integer maxReplicas,
    EngineFields engineFields,
    String priorityClassName,
    String group,
    String projectPath) {

  /** Of a job that says nothing, which no present CRD lets in. */
  public static final DIJobSpec NOTHING =
      new DIJobSpec(
          null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
          null);

  /** The shapes that the job has by its fields; exactly one if it has no fault. */
  public Set<Shape> shapes() {
    var shapes = EnumSet.noneOf(Shape.class);
    if (coordinator != null) {
      shapes.add(Shape.COORDINATOR);
    }
    if (template != null) {
      shapes.add(Shape.TEMPLATE);
    }
    if (tasks != null) {
      shapes.add(Shape.TASKS);
    }
    return shapes;
  }
}
