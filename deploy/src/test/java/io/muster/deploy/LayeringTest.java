package io.muster.deploy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Which way the arrows of the whole house may point. */
@AnalyzeClasses(packages = "io.muster", importOptions = ImportOption.DoNotIncludeTests.class)
final class LayeringTest {

  @ArchTest
  static final ArchRule WEBHOOK_AND_CONTROLLER_DO_NOT_KNOW_EACH_OTHER =
      noClasses()
          .that()
          .resideInAPackage("io.muster.webhook..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.controller..");

  @ArchTest
  static final ArchRule NOBODY_KNOWS_THE_PROGRAM =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.muster.deploy..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.deploy..");

  @ArchTest
  static final ArchRule SETTINGS_KNOW_NOTHING_OF_SERVING =
      noClasses()
          .that()
          .resideInAPackage("io.muster.deploy.config..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.deploy.serve..");

  @ArchTest
  static final ArchRule THE_PROGRAM_RUNS_WITHOUT_THE_SIMULATOR =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.muster.simulator..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.simulator..");

  @ArchTest
  static final ArchRule SIMULATED_WORLDS_KNOW_THE_CORES_ALONE =
      noClasses()
          .that()
          .resideInAnyPackage("io.muster.simulator.world..", "io.muster.simulator.reference..")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages(
              "java.lang..",
              "java.util..",
              "java.time..",
              "io.muster.extender.core..",
              "io.muster.controller.core..",
              "io.muster.controller.port..",
              "io.muster.simulator.world..",
              "io.muster.simulator.reference..");

  @ArchTest
  static final ArchRule NOTHING_IS_SIMULATED_BY_REFERENCE_POLICIES =
      noClasses()
          .that()
          .resideInAPackage("io.muster.simulator.world..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.simulator.reference..");

  @ArchTest
  static final ArchRule NO_CIRCLES = slices().matching("io.muster.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NO_CIRCLES_IN_THE_BOARD =
      slices().matching("io.muster.deploy.board.(*)..").should().beFreeOfCycles();
}
