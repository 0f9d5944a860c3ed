/** Room of the job engine: job kinds, scale operations, elasticity. */
package io.muster.controller;
