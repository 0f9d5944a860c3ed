package io.muster.controller.kinds.paddle;

import java.util.Map;

/** Names, labels and annotations that PaddlePaddle's images and users rely on. */
final class PaddleNames {

  static final String MASTER = "master";
  static final String PSERVER = "pserver";
  static final String TRAINER = "trainer";

  /** By which pods find each other; the value is the job's name. */
  static final Map<String, String> ROLE_LABELS =
      Map.of(
          MASTER, "paddle-job-master",
          PSERVER, "paddle-job-pserver",
          TRAINER, "paddle-job");

  /** On all pods of a job that Muster runs. */
  static final String JOB_LABEL = "muster.io/paddle-job";

  private PaddleNames() {}

  /** What the pods of a role are called, without their number. */
  static String pods(String job, String role) {
    return job + "-" + role;
  }

  /** Who the pods are to the apiserver. */
  static String account(String job) {
    return job + "-paddle";
  }
}
