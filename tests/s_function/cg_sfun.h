/* In the place of Simulink: what calls the functions of an S-function, in the order of its manual. */
#include <stdlib.h>

SimStruct *unit_new(void);
void unit_parameter(SimStruct *S, const double *values, int size, int is_double);
void unit_begin(SimStruct *S);
void unit_change(SimStruct *S, int i, const double *values);
void unit_input(SimStruct *S, int i, const double *values);
void unit_outputs(SimStruct *S);
void unit_update(SimStruct *S);
void unit_end(SimStruct *S);

static double *room(int size)
{
    return calloc((size_t)size + 1, sizeof(double));
}

SimStruct *unit_new(void)
{
    return calloc(1, sizeof(SimStruct));
}

void unit_parameter(SimStruct *S, const double *values, int size, int is_double)
{
    mxArray *own = &S->parameter[S->given++];

    own->values = room(size);
    own->size = (size_t)size;
    own->is_double = is_double;
    memcpy(own->values, values, (size_t)size * sizeof *values);
}

void unit_begin(SimStruct *S)
{
    int i;

    mdlInitializeSizes(S);
    if (S->error != NULL || S->parameters != S->given) {
        return;
    }
    for (i = 0; i < S->inputs; i++) {
        S->input[i].values = room(S->input[i].rows * S->input[i].columns);
    }
    for (i = 0; i < S->outputs; i++) {
        S->output[i].values = room(S->output[i].rows * S->output[i].columns);
    }
    S->states = room(S->discrete);
    S->numbers = room(S->work);
    mdlInitializeSampleTimes(S);
    mdlStart(S);
#ifdef MDL_INITIALIZE_CONDITIONS
    mdlInitializeConditions(S);
#endif
}

void unit_change(SimStruct *S, int i, const double *values)
{
    memcpy(S->parameter[i].values, values, S->parameter[i].size * sizeof *values);
    mdlCheckParameters(S);
    if (S->error == NULL) {
        mdlProcessParameters(S);
    }
}

void unit_input(SimStruct *S, int i, const double *values)
{
    memcpy(S->input[i].values, values, (size_t)(S->input[i].rows * S->input[i].columns) * sizeof *values);
}

void unit_outputs(SimStruct *S)
{
    mdlOutputs(S, 0);
}

void unit_update(SimStruct *S)
{
#ifdef MDL_UPDATE
    mdlUpdate(S, 0);
#else
    (void)S;
#endif
}

void unit_end(SimStruct *S)
{
    mdlTerminate(S);
    free(S);
}
