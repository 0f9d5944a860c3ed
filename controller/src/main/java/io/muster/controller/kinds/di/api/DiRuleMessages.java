package io.muster.controller.kinds.di.api;

import io.muster.controller.core.job.Job;

/**
 * What users are told, by the rules in the CRDs and by {@link DiValidation} alike. Each names its
 * field and the way out.
 */
final class DiRuleMessages {

  static final String DOTS =
      "metadata.name must not have dots, since hosts are named after a DIJob and a dot would end"
          + " theirs; write '-' instead";
  static final String COORDINATED_NAME =
      "metadata.name of a job with a coordinator must begin with a letter and have at most 45"
          + " characters, since Services and pods are named after it; choose another name";
  static final String TASK_POD_NAMES =
      "metadata.name and the name of a task are too long together: metadata.name-task-number is the"
          + " name of a pod, of at most 63 characters; shorten one of them";
  static final String TEMPLATE_POD_NAMES =
      "metadata.name is too long: metadata.name-0-number is the name of a pod, of at most 63"
          + " characters; choose a shorter name";
  static final String VERSION =
      "apiVersion must be diengine.opendilab.org/v1alpha1 for a job with coordinator, and"
          + " diengine.opendilab.org/v2alpha1 for one with tasks or template";
  static final String SHAPE =
      "exactly one of coordinator, template and tasks must be there; leave the others out";
  static final String SAME_SHAPE =
      "coordinator, template and tasks cannot take each other's place; delete the job and create it"
          + " anew";
  static final String SAME_TASKS =
      "tasks cannot be added, taken away, renamed or put in another order, nor change their type,"
          + " since ranks follow them; delete the job and create it anew";
  static final String SAME_PRIORITY =
      "priority cannot be changed; delete the job and create it anew";
  static final String CLEAN_POD_POLICY = "cleanPodPolicy must be Running, All or None";
  static final String PRIORITY = "priority must be normal or high";
  static final String TOPOLOGY = "topology must be star, mesh or alone";
  static final String TYPE = "type must be learner, collector, evaluator or none";
  static final String TASKS = "tasks is empty; add a task";
  static final String TASK_NAMES =
      "name of a task must be made of a-z, 0-9 and '-' and neither begin nor end with '-', since"
          + " pods are named after it";

  /** With X for the type. */
  static final String TYPE_TWICE =
      "the number of X task is more than one; put them into one task with more replicas, or set"
          + " type of the others to none";

  static final String UNNAMED = "none type task has no name; set name of each task of type none";

  /** With X for the name. */
  static final String NAME_TWICE =
      "there is more than one task named X; give each task a name of its own (without one its type"
          + " is its name)";

  static final String MIN_REPLICAS =
      "minReplicas is above the replicas of all tasks together; lower minReplicas or raise replicas";
  static final String MAX_REPLICAS =
      "the replicas of all tasks together are above maxReplicas; lower replicas or raise"
          + " maxReplicas";
  static final String MEMBERS =
      "the replicas of all tasks together are more than "
          + Job.MOST_MEMBERS
          + ", the most members of a gang; lower replicas";
  static final String COPIES =
      "minReplicas of a job with template must be at least 1 and at most maxReplicas";

  /** With X for the name of the volume. */
  static final String MOUNTS =
      "volumeMounts names X, which is neither in spec.volumes nor in the template; add the volume"
          + " or mend the name";

  private DiRuleMessages() {}
}
