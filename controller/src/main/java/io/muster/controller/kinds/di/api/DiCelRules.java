package io.muster.controller.kinds.di.api;

import io.muster.controller.core.job.Job;

/**
 * The rules in CEL, as the CRDs bear them. Their texts are in {@link DiRuleMessages}.
 *
 * <p>None may stand in the way of an object that was stored before it, and pod templates hold
 * fields that the schema does not know; so there are rules at creation, and rules for changes. The
 * API server reckons beforehand what each may cost, and takes for endless what comes out of an
 * optional: hence {@code has} for lists and words, and two rules where one could do.
 */
final class DiCelRules {

  /** These bound what the API server may have to check. */
  static final int MOST_TASKS = 64;

  static final int MOST_CONTAINERS = 32;
  static final int MOST_VOLUMES = 64;

  /** Of one pod of a job with template: each has a port of its own. */
  static final int MOST_PROCESSES = 1000;

  /** Of a DNS label: names of pods, hosts and volumes. */
  static final int LONGEST_LABEL = 63;

  static final int LONGEST_WORD = 16;

  static final String SPEC = "has(self.spec) || (oldSelf.hasValue() && !has(oldSelf.value().spec))";

  /** At creation; what is there has its name and shape for good. */
  private static final String NEW = "oldSelf.hasValue() || ";

  /** Hosts are labels of their own: theirs, unlike the job's name, may have no dot. */
  static final String DOTS = NEW + "!self.metadata.name.contains('.')";

  /** The longest name is that of {@code <job>-ddp-learner-xxxxx}. */
  static final String COORDINATED_NAME =
      NEW
          + "!has(self.spec) || !has(self.spec.coordinator)"
          + " || (size(self.metadata.name) <= 45 && self.metadata.name.matches('^[a-z]'))";

  private static final String NAME_OF_TASK =
      "(!has(task.name) || task.name == '' ? task.type : task.name)";

  private static final String HIGHEST_OF_TASK =
      "[task.replicas, has(self.spec.maxReplicas) ? self.spec.maxReplicas : 1].max() - 1";

  /** Whatever else is made, {@code di-<job>} too, has a shorter name. */
  private static final String TASK_PODS_FIT =
      "!has(self.spec) || !has(self.spec.tasks)"
          + " || self.spec.tasks.all(task, size(self.metadata.name) + 2 + size("
          + NAME_OF_TASK
          + ") + size(string("
          + HIGHEST_OF_TASK
          + ")) <= 63)";

  static final String TASK_POD_NAMES = NEW + TASK_PODS_FIT;
  static final String TASK_POD_NAMES_LATER =
      TASK_PODS_FIT
          + " || (has(oldSelf.spec) && has(oldSelf.spec.tasks)"
          + " && self.spec.?maxReplicas == oldSelf.spec.?maxReplicas"
          + " && self.spec.tasks.map(task, task.replicas)"
          + " == oldSelf.spec.tasks.map(task, task.replicas))";

  static final String TEMPLATE_POD_NAMES =
      "!has(self.spec) || !has(self.spec.template)"
          + " || size(self.metadata.name) + 3 + size(string([self.spec.?minReplicas.orValue(1),"
          + " self.spec.?maxReplicas.orValue(1), 1].max() - 1)) <= 63"
          + " || (oldSelf.hasValue() && oldSelf.?spec.?minReplicas == self.spec.?minReplicas"
          + " && oldSelf.?spec.?maxReplicas == self.spec.?maxReplicas)";

  static final String VERSION =
      NEW
          + "!has(self.spec) || has(self.spec.coordinator)"
          + " == self.apiVersion.endsWith('/v1alpha1')";

  private static final String SHAPES =
      "[has(self.coordinator), has(self.template), has(self.tasks)]";

  static final String SHAPE = NEW + SHAPES + ".exists_one(shape, shape)";
  static final String SAME_SHAPE =
      SHAPES + " == [has(oldSelf.coordinator), has(oldSelf.template), has(oldSelf.tasks)]";

  static final String CLEAN_POD_POLICY = "self in ['Running', 'All', 'ALL', 'None']";
  static final String PRIORITY = "self in ['normal', 'high']";
  static final String SAME_PRIORITY =
      "(has(self.priority) ? self.priority : 'normal')"
          + " == (has(oldSelf.priority) ? oldSelf.priority : 'normal')";
  static final String TOPOLOGY = "self in ['star', 'mesh', 'alone']";
  static final String TYPE = "self in ['learner', 'collector', 'evaluator', 'none']";

  static final String TASK_NAMES =
      NEW
          + "self.all(task, !has(task.name) || task.name == ''"
          + " || task.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))";

  private static final String IS_ALONE =
      "(task.type == 'none' || self.exists_one(other, other.type == task.type))";
  static final String ONE_OF_A_TYPE = NEW + "self.all(task, " + IS_ALONE + ")";
  static final String ONE_OF_A_TYPE_TEXT =
      "'"
          + DiRuleMessages.TYPE_TWICE
          + "'.replace('X', self.filter(task, !"
          + IS_ALONE
          + ")[0].type)";

  static final String NAMED =
      NEW + "self.all(task, task.type != 'none' || (has(task.name) && task.name != ''))";

  /** Without those that have no name, which is a fault of its own. */
  private static final String NAMES =
      "[self.map(task, " + NAME_OF_TASK + ").filter(name, name != 'none')]";

  static final String UNIQUE_NAMES =
      NEW + NAMES + ".all(names, names.all(name, names.exists_one(other, other == name)))";
  static final String UNIQUE_NAMES_TEXT =
      "'"
          + DiRuleMessages.NAME_TWICE
          + "'.replace('X', "
          + NAMES
          + ".map(names, names.filter(name, !names.exists_one(other, other == name))[0])[0])";

  static final String SAME_TASKS =
      "self.map(task, "
          + NAME_OF_TASK
          + ") == oldSelf.map(task, "
          + NAME_OF_TASK
          + ") && self.map(task, task.type) == oldSelf.map(task, task.type)";

  private static final String ENOUGH =
      "!has(self.tasks) || !has(self.minReplicas)"
          + " || self.minReplicas <= self.tasks.map(task, task.replicas).sum()";
  private static final String NOT_TOO_MANY =
      "!has(self.tasks) || !has(self.maxReplicas)"
          + " || self.tasks.map(task, task.replicas).sum() <= self.maxReplicas";
  private static final String AS_BEFORE =
      " || (self.?minReplicas == oldSelf.?minReplicas && self.?maxReplicas == oldSelf.?maxReplicas"
          + " && has(oldSelf.tasks) && self.tasks.map(task, task.replicas)"
          + " == oldSelf.tasks.map(task, task.replicas))";

  private static final String HELD =
      "!has(self.tasks) || self.tasks.map(task, task.replicas).sum() <= " + Job.MOST_MEMBERS;

  static final String MEMBERS = NEW + HELD;
  static final String MEMBERS_LATER =
      HELD
          + " || (has(oldSelf.tasks) && self.tasks.map(task, task.replicas)"
          + " == oldSelf.tasks.map(task, task.replicas))";
  static final String MIN_REPLICAS = NEW + ENOUGH;
  static final String MIN_REPLICAS_LATER = ENOUGH + AS_BEFORE;
  static final String MAX_REPLICAS = NEW + NOT_TOO_MANY;
  static final String MAX_REPLICAS_LATER = NOT_TOO_MANY + AS_BEFORE;
  static final String COPIES =
      "!has(self.template) || !has(self.minReplicas)"
          + " || (self.minReplicas >= 1"
          + " && self.minReplicas <= self.?maxReplicas.orValue(self.minReplicas))"
          + " || (oldSelf.hasValue() && oldSelf.?minReplicas == self.?minReplicas"
          + " && oldSelf.?maxReplicas == self.?maxReplicas)";

  private DiCelRules() {}
}
